<?xml version="1.0" encoding="UTF-8"?>
<!-- The charts of reports as one drawing: one below another, each under its
     title. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:view="urn:netbound:view"
    xmlns="http://www.w3.org/2000/svg"
    exclude-result-prefixes="view">

  <view:wants charts="yes"/>

  <xsl:output method="xml" encoding="UTF-8" indent="no"/>

  <xsl:include href="parts/chart.xsl"/>
  <xsl:include href="parts/chart_marks.xsl"/>
  <xsl:include href="parts/chart_style.xsl"/>

  <!-- Around the drawing, and between a title and its chart. -->
  <xsl:variable name="margin" select="20"/>
  <xsl:variable name="title-height" select="12"/>
  <xsl:variable name="title-line" select="19"/>

  <xsl:template match="/">
    <xsl:variable name="charts" select="view/report/chart"/>
    <xsl:if test="not($charts)">
      <xsl:message terminate="yes">there is nothing to draw in this report: charts are made of sweeps over a number, distributions, channel loads and permutations</xsl:message>
    </xsl:if>
    <xsl:variable name="width">
      <xsl:for-each select="$charts">
        <xsl:sort select="@width" data-type="number" order="descending"/>
        <xsl:if test="position() = 1"><xsl:value-of select="@width"/></xsl:if>
      </xsl:for-each>
    </xsl:variable>
    <xsl:call-template name="chart-stack">
      <xsl:with-param name="charts" select="$charts"/>
      <xsl:with-param name="width" select="$width + 2 * $margin"/>
    </xsl:call-template>
  </xsl:template>

  <!-- The file's height depends on every chart, so the charts are placed first,
       by a list of their tops. -->
  <xsl:template name="chart-stack">
    <xsl:param name="charts"/>
    <xsl:param name="width"/>
    <xsl:variable name="tops">
      <xsl:call-template name="chart-tops">
        <xsl:with-param name="charts" select="$charts"/>
        <xsl:with-param name="top" select="$margin"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:variable name="height" select="substring-before(substring-after($tops, '='), ' ')"/>
    <svg viewBox="0 0 {$width} {$height}" width="{$width}" height="{$height}">
      <style>
:root { color-scheme: light dark;
<xsl:call-template name="chart-light"/>}
@media (prefers-color-scheme: dark) { :root {
<xsl:call-template name="chart-dark"/>} }
.back { fill: var(--back); }
.heading { font: 600 15px system-ui, sans-serif; fill: var(--text); }
.of { font: 13px system-ui, sans-serif; fill: var(--text-soft); }
<xsl:call-template name="chart-rules"/>
      </style>
      <rect class="back" width="100%" height="100%"/>
      <xsl:for-each select="$charts">
        <xsl:variable name="top"
                      select="number(substring-before(substring-after($tops,
                              concat(' ', @id, ':')), ' '))"/>
        <xsl:variable name="lines">
          <xsl:apply-templates select="." mode="title-lines"/>
        </xsl:variable>
        <xsl:call-template name="title-text">
          <xsl:with-param name="lines" select="$lines"/>
          <xsl:with-param name="y" select="$top + 16"/>
        </xsl:call-template>
        <xsl:variable name="title">
          <xsl:call-template name="title-room">
            <xsl:with-param name="lines" select="$lines"/>
          </xsl:call-template>
        </xsl:variable>
        <xsl:apply-templates select="." mode="svg">
          <xsl:with-param name="x" select="$margin"/>
          <xsl:with-param name="y" select="$top + $title"/>
        </xsl:apply-templates>
      </xsl:for-each>
    </svg>
  </xsl:template>

  <!-- The title, with "*" before each of its lines, and then its report's; each
       line ends explicitly, since text in a drawing does not wrap. -->
  <xsl:template match="chart" mode="title-lines">
    <xsl:call-template name="broken">
      <xsl:with-param name="text" select="normalize-space(@title)"/>
      <xsl:with-param name="most" select="floor(@width div 9.6)"/>
      <xsl:with-param name="before">*</xsl:with-param>
    </xsl:call-template>
    <xsl:call-template name="broken">
      <xsl:with-param name="text" select="normalize-space(@of)"/>
      <xsl:with-param name="most" select="floor(@width div 7.6)"/>
    </xsl:call-template>
  </xsl:template>

  <!-- A text in lines of at most that many characters. -->
  <xsl:template name="broken">
    <xsl:param name="text"/>
    <xsl:param name="most"/>
    <xsl:param name="before"/>
    <xsl:param name="line"/>
    <xsl:variable name="word" select="substring-before(concat($text, ' '), ' ')"/>
    <xsl:variable name="longer" select="concat($line, substring(' ', 1, $line != ''), $word)"/>
    <xsl:choose>
      <xsl:when test="$text = ''">
        <xsl:if test="$line != ''">
          <xsl:value-of select="concat($before, $line, '&#10;')"/>
        </xsl:if>
      </xsl:when>
      <xsl:when test="$line != '' and string-length($longer) &gt; $most">
        <xsl:value-of select="concat($before, $line, '&#10;')"/>
        <xsl:call-template name="broken">
          <xsl:with-param name="text" select="$text"/>
          <xsl:with-param name="most" select="$most"/>
          <xsl:with-param name="before" select="$before"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="string-length($word) &gt; $most">
        <xsl:value-of select="concat($before, substring($word, 1, $most), '&#10;')"/>
        <xsl:call-template name="broken">
          <xsl:with-param name="text" select="substring($text, $most + 1)"/>
          <xsl:with-param name="most" select="$most"/>
          <xsl:with-param name="before" select="$before"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="broken">
          <xsl:with-param name="text" select="substring-after($text, ' ')"/>
          <xsl:with-param name="most" select="$most"/>
          <xsl:with-param name="before" select="$before"/>
          <xsl:with-param name="line" select="$longer"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="title-room">
    <xsl:param name="lines"/>
    <xsl:value-of select="$title-height + $title-line *
                          (string-length($lines) - string-length(translate($lines, '&#10;', '')))"/>
  </xsl:template>

  <xsl:template name="title-text">
    <xsl:param name="lines"/>
    <xsl:param name="y"/>
    <xsl:if test="$lines != ''">
      <xsl:variable name="line" select="substring-before($lines, '&#10;')"/>
      <xsl:variable name="is-own" select="starts-with($line, '*')"/>
      <text aria-hidden="true" x="{$margin + 4}" y="{$y}">
        <xsl:attribute name="class">
          <xsl:value-of select="concat(substring('heading', 1, 7 * $is-own),
                                       substring('of', 1, 2 * not($is-own)))"/>
        </xsl:attribute>
        <xsl:value-of select="substring($line, 1 + $is-own)"/>
      </text>
      <xsl:call-template name="title-text">
        <xsl:with-param name="lines" select="substring-after($lines, '&#10;')"/>
        <xsl:with-param name="y" select="$y + $title-line"/>
      </xsl:call-template>
    </xsl:if>
  </xsl:template>

  <!-- " ID:TOP " of each chart, then "=HEIGHT " of all. -->
  <xsl:template name="chart-tops">
    <xsl:param name="charts"/>
    <xsl:param name="top"/>
    <xsl:choose>
      <xsl:when test="$charts">
        <xsl:variable name="height">
          <xsl:apply-templates select="$charts[1]" mode="height"/>
        </xsl:variable>
        <xsl:variable name="title">
          <xsl:call-template name="title-room">
            <xsl:with-param name="lines">
              <xsl:apply-templates select="$charts[1]" mode="title-lines"/>
            </xsl:with-param>
          </xsl:call-template>
        </xsl:variable>
        <xsl:value-of select="concat(' ', $charts[1]/@id, ':', $top, ' ')"/>
        <xsl:call-template name="chart-tops">
          <xsl:with-param name="charts" select="$charts[position() &gt; 1]"/>
          <xsl:with-param name="top"
                          select="$top + $title + $height + $margin"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="concat('=', $top, ' ')"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
