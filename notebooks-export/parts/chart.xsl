<?xml version="1.0" encoding="UTF-8"?>
<!-- A chart of the view (src/export/view.h) as an SVG element, with axes,
     legend and scale; needs chart_marks.xsl, and chart_style.xsl's rules. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns="http://www.w3.org/2000/svg">

  <!-- Approximate width of a letter: fonts differ. -->
  <xsl:variable name="letter" select="8.2"/>
  <!-- Height of legend and scale, below the drawing. -->
  <xsl:variable name="line-height" select="22"/>
  <xsl:variable name="scale-height" select="56"/>

  <!-- A chart's height with legend and scale. -->
  <xsl:template match="chart" mode="height">
    <xsl:variable name="columns">
      <xsl:apply-templates select="." mode="legend-columns"/>
    </xsl:variable>
    <xsl:variable name="legend">
      <xsl:choose>
        <xsl:when test="count(series) &gt; 1">
          <xsl:value-of select="10 + $line-height *
                                ceiling(count(series) div $columns)"/>
        </xsl:when>
        <xsl:otherwise>0</xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:value-of select="@height + $legend + $scale-height * count(scale)"/>
  </xsl:template>

  <!-- Its title, and its report's. -->
  <xsl:template match="chart" mode="title">
    <xsl:value-of select="concat(@title, '. ', @of)"/>
  </xsl:template>

  <!-- The drawing; x, y: its place in a larger one. -->
  <xsl:template match="chart" mode="svg">
    <xsl:param name="x"/>
    <xsl:param name="y"/>
    <xsl:variable name="height">
      <xsl:apply-templates select="." mode="height"/>
    </xsl:variable>
    <svg viewBox="0 0 {@width} {$height}" class="chart chart-{@kind}" role="img"
         aria-labelledby="{@id}-title {@id}-desc">
      <xsl:if test="@form">
        <xsl:attribute name="class">
          <xsl:value-of select="concat('chart chart-', @form)"/>
          <xsl:if test="@width &gt; 640"> wide</xsl:if>
        </xsl:attribute>
      </xsl:if>
      <xsl:if test="$y != ''">
        <xsl:attribute name="x"><xsl:value-of select="$x"/></xsl:attribute>
        <xsl:attribute name="y"><xsl:value-of select="$y"/></xsl:attribute>
        <xsl:attribute name="width"><xsl:value-of select="@width"/></xsl:attribute>
        <xsl:attribute name="height"><xsl:value-of select="$height"/></xsl:attribute>
      </xsl:if>
      <title id="{@id}-title"><xsl:apply-templates select="." mode="title"/></title>
      <desc id="{@id}-desc"><xsl:value-of select="@description"/></desc>
      <xsl:apply-templates select="axis" mode="grid"/>
      <xsl:apply-templates select="cell"/>
      <xsl:apply-templates select="axis" mode="line"/>
      <xsl:apply-templates select="series/band"/>
      <xsl:apply-templates select="limit"/>
      <xsl:apply-templates select="series"/>
      <xsl:apply-templates select="series[point]" mode="points"/>
      <xsl:if test="wire">
        <xsl:variable name="arrows" select="count(wire) &lt;= $crowded"/>
        <xsl:if test="$arrows">
          <xsl:apply-templates select="." mode="arrows"/>
        </xsl:if>
        <g class="wires">
          <!-- Busy ones on top. -->
          <xsl:apply-templates select="wire">
            <xsl:sort select="@level" data-type="number"/>
            <xsl:with-param name="arrows" select="$arrows"/>
          </xsl:apply-templates>
        </g>
      </xsl:if>
      <xsl:if test="link">
        <xsl:apply-templates select="." mode="links"/>
      </xsl:if>
      <xsl:apply-templates select="router"/>
      <xsl:apply-templates select="box"/>
      <xsl:apply-templates select="word"/>
      <xsl:apply-templates select="mark"/>
      <xsl:if test="count(series) &gt; 1">
        <xsl:apply-templates select="." mode="legend"/>
      </xsl:if>
      <xsl:apply-templates select="scale">
        <xsl:with-param name="top" select="$height - $scale-height"/>
      </xsl:apply-templates>
    </svg>
  </xsl:template>

  <!-- Axes. -->
  <xsl:template match="axis" mode="grid">
    <xsl:variable name="across" select="../axis[@side != current()/@side][1]"/>
    <xsl:if test="$across">
      <g class="grid">
        <xsl:for-each select="tick[@grid = 'yes']">
          <path>
            <xsl:attribute name="d">
              <xsl:choose>
                <xsl:when test="../@side = 'bottom'">
                  <xsl:value-of select="concat('M', @at, ' ', $across/@from,
                                               'V', $across/@to)"/>
                </xsl:when>
                <xsl:otherwise>
                  <xsl:value-of select="concat('M', $across/@from, ' ', @at,
                                               'H', $across/@to)"/>
                </xsl:otherwise>
              </xsl:choose>
            </xsl:attribute>
          </path>
        </xsl:for-each>
      </g>
    </xsl:if>
  </xsl:template>

  <xsl:template match="axis[@side = 'bottom']" mode="line">
    <g class="axis axis-bottom">
      <path d="M{@from} {@at}H{@to}"/>
      <xsl:for-each select="tick">
        <path d="M{@at} {../@at}v5"/>
        <xsl:if test="@label != ''">
          <text x="{@at}" y="{../@at + 19}"><xsl:value-of select="@label"/></text>
        </xsl:if>
      </xsl:for-each>
      <xsl:if test="@label != ''">
        <text class="name" x="{(@from + @to) div 2}" y="{@at + 40}">
          <xsl:value-of select="@label"/>
        </text>
      </xsl:if>
    </g>
  </xsl:template>

  <xsl:template match="axis[@side = 'left']" mode="line">
    <g class="axis axis-left">
      <path d="M{@at} {@from}V{@to}"/>
      <xsl:for-each select="tick">
        <path d="M{../@at} {@at}h-5"/>
        <xsl:if test="@label != ''">
          <text x="{../@at - 9}" y="{@at + 4 - 7 * count(@more)}">
            <!-- A name that is too long is compressed. -->
            <xsl:if test="$letter * string-length(@label) &gt; ../@at - 9">
              <xsl:attribute name="textLength"><xsl:value-of select="../@at - 12"/></xsl:attribute>
              <xsl:attribute name="lengthAdjust">spacingAndGlyphs</xsl:attribute>
            </xsl:if>
            <xsl:value-of select="@label"/>
          </text>
        </xsl:if>
        <xsl:if test="@more">
          <text x="{../@at - 9}" y="{@at + 11}"><xsl:value-of select="@more"/></text>
        </xsl:if>
      </xsl:for-each>
      <xsl:if test="@label != ''">
        <text class="name" x="4" y="{@to - 14 - 20 * boolean(../limit)}">
          <xsl:value-of select="@label"/>
        </text>
      </xsl:if>
    </g>
  </xsl:template>

  <!-- Legend: the series' names in columns, each as wide as the longest. -->
  <xsl:template match="chart" mode="legend-width">
    <xsl:for-each select="series">
      <xsl:sort select="string-length(@name)" data-type="number"
                order="descending"/>
      <xsl:if test="position() = 1">
        <xsl:value-of select="48 + $letter * string-length(@name)"/>
      </xsl:if>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="chart" mode="legend-columns">
    <xsl:variable name="item">
      <xsl:apply-templates select="." mode="legend-width"/>
    </xsl:variable>
    <xsl:variable name="fitting" select="floor((@width - 16) div $item)"/>
    <xsl:choose>
      <xsl:when test="$fitting &gt; 1">
        <xsl:value-of select="$fitting"/>
      </xsl:when>
      <xsl:otherwise>1</xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="chart" mode="legend">
    <xsl:variable name="item">
      <xsl:apply-templates select="." mode="legend-width"/>
    </xsl:variable>
    <xsl:variable name="columns">
      <xsl:apply-templates select="." mode="legend-columns"/>
    </xsl:variable>
    <xsl:variable name="top" select="@height + 14"/>
    <g class="legend">
      <xsl:for-each select="series">
        <xsl:variable name="x"
                      select="16 + $item * ((position() - 1) mod $columns)"/>
        <xsl:variable name="y" select="$top + $line-height *
                                       floor((position() - 1) div $columns)"/>
        <xsl:apply-templates select="." mode="sample">
          <xsl:with-param name="x" select="$x"/>
          <xsl:with-param name="y" select="$y"/>
        </xsl:apply-templates>
        <text x="{$x + 36}" y="{$y + 4}"><xsl:value-of select="@name"/></text>
      </xsl:for-each>
    </g>
  </xsl:template>

  <!-- Scale: the meaning of the levels of wires or cells. -->
  <xsl:template match="scale">
    <xsl:param name="top"/>
    <xsl:variable name="wide" select="(../@width - 32) div count(step)"/>
    <g class="scale">
      <text class="name" x="16" y="{$top + 20}"><xsl:value-of select="@label"/></text>
      <xsl:for-each select="step">
        <xsl:variable name="x" select="16 + $wide * (position() - 1)"/>
        <rect class="f{@level}" x="{$x}" y="{$top + 27}" width="{$wide - 2}"
              height="9"/>
        <text x="{$x + $wide div 2 - 1}" y="{$top + 50}">
          <xsl:value-of select="@label"/>
        </text>
      </xsl:for-each>
    </g>
  </xsl:template>
</xsl:stylesheet>
