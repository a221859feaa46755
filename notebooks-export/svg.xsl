<?xml version="1.0" encoding="UTF-8"?>
<!-- The charts of reports as one drawing, one below the other, each under its
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
  <xsl:variable name="title-height" select="34"/>

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

  <!-- The file's height is known only when every chart's is: so the charts
       are placed first, by a list of their tops. -->
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
<xsl:call-template name="chart-rules"/>
      </style>
      <rect class="back" width="100%" height="100%"/>
      <xsl:for-each select="$charts">
        <xsl:variable name="top"
                      select="number(substring-before(substring-after($tops,
                              concat(' ', @id, ':')), ' '))"/>
        <text class="heading" aria-hidden="true" x="{$margin + 4}" y="{$top + 16}">
          <xsl:value-of select="@title"/>
        </text>
        <xsl:apply-templates select="." mode="svg">
          <xsl:with-param name="x" select="$margin"/>
          <xsl:with-param name="y" select="$top + $title-height"/>
        </xsl:apply-templates>
      </xsl:for-each>
    </svg>
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
        <xsl:value-of select="concat(' ', $charts[1]/@id, ':', $top, ' ')"/>
        <xsl:call-template name="chart-tops">
          <xsl:with-param name="charts" select="$charts[position() &gt; 1]"/>
          <xsl:with-param name="top"
                          select="$top + $title-height + $height + $margin"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="concat('=', $top, ' ')"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
