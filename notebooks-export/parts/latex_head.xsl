<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables as LaTeX: how columns are set, and their heads. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:nb="urn:netbound:style" exclude-result-prefixes="nb">

  <!-- One letter per column: 0 left out (empty, or shown below), t a
       specification, l text, p long text, d numbers aligned at the decimal
       point, r other numbers. -->
  <xsl:template match="column" mode="kind">
    <xsl:variable name="place" select="position()"/>
    <xsl:variable name="cells" select="../row/cell[position() = $place]"/>
    <xsl:variable name="said" select="$cells[. != '' and . != '-' and . != 'inf' and
                                      . != '-inf' and . != 'nan' and . != '?']"/>
    <xsl:choose>
      <xsl:when test="not($cells[. != ''])">0</xsl:when>
      <xsl:when test="@name = 'source' and ../source">0</xsl:when>
      <xsl:when test="@name = 'unit' and not($cells[. != '' and . != '1'])">0</xsl:when>
      <xsl:when test="@type = 'text' and @swept">t</xsl:when>
      <xsl:when test="@type = 'text' and $cells[string-length() &gt; 30]">p</xsl:when>
      <xsl:when test="@type = 'text'">l</xsl:when>
      <xsl:when test="$said[contains(., '.')] and
                      not($said[translate(., '0123456789.e+-', '') != ''])">d</xsl:when>
      <xsl:otherwise>r</xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The argument of tabular. -->
  <xsl:template name="columns">
    <xsl:param name="kinds"/>
    <!-- With few columns of numbers long text has more room. -->
    <xsl:param name="share" select="0.24 + 0.12 * (string-length(translate($kinds, '0', '')) &lt; 6 and
                                    translate($kinds, '0dr', '') = 'p')"/>
    <xsl:if test="$kinds != ''">
      <xsl:choose>
        <xsl:when test="starts-with($kinds, '0')"/>
        <xsl:when test="starts-with($kinds, 't')">l</xsl:when>
        <xsl:when test="starts-with($kinds, 'p')"><xsl:value-of select="concat('p{', $share, '\linewidth}')"/></xsl:when>
        <xsl:when test="starts-with($kinds, 'd')">r@{}l</xsl:when>
        <xsl:otherwise><xsl:value-of select="substring($kinds, 1, 1)"/></xsl:otherwise>
      </xsl:choose>
      <xsl:call-template name="columns">
        <xsl:with-param name="kinds" select="substring($kinds, 2)"/>
        <xsl:with-param name="share" select="$share"/>
      </xsl:call-template>
    </xsl:if>
  </xsl:template>

  <!-- The number of LaTeX columns for some letters: two for a d. -->
  <xsl:template name="width">
    <xsl:param name="kinds"/>
    <xsl:value-of select="string-length(translate($kinds, '0', '')) +
                          string-length(translate($kinds, '0tlpr', ''))"/>
  </xsl:template>

  <xsl:template match="table" mode="head">
    <xsl:param name="kinds"/>
    <xsl:text>  \toprule&#10;</xsl:text>
    <xsl:if test="column[@over]">
      <xsl:apply-templates select="." mode="over">
        <xsl:with-param name="kinds" select="$kinds"/>
      </xsl:apply-templates>
    </xsl:if>
    <xsl:text>  </xsl:text>
    <xsl:for-each select="column">
      <xsl:variable name="kind" select="substring($kinds, position(), 1)"/>
      <xsl:if test="$kind != '0'">
        <xsl:if test="translate(substring($kinds, 1, position() - 1), '0', '') != ''"> &amp; </xsl:if>
        <xsl:apply-templates select="." mode="head">
          <xsl:with-param name="kind" select="$kind"/>
        </xsl:apply-templates>
      </xsl:if>
    </xsl:for-each>
    <xsl:text> \tabularnewline&#10;  \midrule&#10;</xsl:text>
  </xsl:template>

  <!-- The option whose values are the columns, above them. -->
  <xsl:template match="table" mode="over">
    <xsl:param name="kinds"/>
    <xsl:variable name="swept" select="count(column[@swept])"/>
    <xsl:variable name="before">
      <xsl:call-template name="width">
        <xsl:with-param name="kinds" select="substring($kinds, 1, $swept)"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:variable name="within">
      <xsl:call-template name="width">
        <xsl:with-param name="kinds" select="substring($kinds, $swept + 1)"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:variable name="name">
      <xsl:call-template name="readable">
        <xsl:with-param name="name" select="column[@over][1]/@over"/>
      </xsl:call-template>
    </xsl:variable>
    <xsl:value-of select="concat('  ', substring('&amp;&amp;&amp;&amp;&amp;&amp;&amp;&amp;&amp;&amp;', 1, $before),
                          ' \multicolumn{', $within, '}{c}{', nb:latex($name),
                          '} \tabularnewline&#10;  \cmidrule(lr){', $before + 1, '-',
                          $before + $within, '}&#10;')"/>
  </xsl:template>

  <!-- A name in short lines, its unit below. -->
  <xsl:template match="column" mode="head">
    <xsl:param name="kind"/>
    <xsl:variable name="name">
      <xsl:choose>
        <xsl:when test="@over"><xsl:value-of select="@name"/></xsl:when>
        <xsl:otherwise>
          <xsl:call-template name="readable">
            <xsl:with-param name="name" select="@name"/>
          </xsl:call-template>
        </xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="is-code"
        select="@over and translate(@name, '0123456789.e+-', '') != ''"/>
    <xsl:variable name="lines">
      <xsl:choose>
        <xsl:when test="@over and not($is-code)">
          <xsl:call-template name="value">
            <xsl:with-param name="text" select="string(@name)"/>
          </xsl:call-template>
        </xsl:when>
        <xsl:otherwise>
          <xsl:call-template name="lines">
            <xsl:with-param name="text" select="string($name)"/>
            <xsl:with-param name="begin" select="substring('\texttt{', 1 div $is-code)"/>
            <xsl:with-param name="end" select="substring('}', 1 div $is-code)"/>
          </xsl:call-template>
        </xsl:otherwise>
      </xsl:choose>
      <xsl:if test="@unit != '' and @unit != '1'">
        <xsl:text>\\</xsl:text>
        <xsl:call-template name="lines">
          <xsl:with-param name="text" select="concat('(', @unit, ')')"/>
        </xsl:call-template>
      </xsl:if>
    </xsl:variable>
    <xsl:variable name="side">
      <xsl:choose>
        <xsl:when test="$kind = 'd'">c</xsl:when>
        <xsl:when test="$kind = 'r'">r</xsl:when>
        <xsl:otherwise>l</xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="text">
      <xsl:choose>
        <xsl:when test="contains($lines, '\\')">
          <xsl:value-of select="concat('\begin{tabular}[b]{@{}', $side, '@{}}', $lines, '\end{tabular}')"/>
        </xsl:when>
        <xsl:otherwise><xsl:value-of select="$lines"/></xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:choose>
      <xsl:when test="$kind = 'd'">
        <xsl:value-of select="concat('\multicolumn{2}{c}{', $text, '}')"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Words, and parts of specifications and units, in lines of that many
       characters if possible. -->
  <xsl:template name="lines">
    <xsl:param name="text"/>
    <xsl:param name="begin"/>
    <xsl:param name="end"/>
    <xsl:param name="line"/>
    <xsl:variable name="long" select="12"/>
    <xsl:variable name="next"
        select="string-length(substring-before(concat(translate($text, '/:,-', '    '), ' '), ' ')) + 1"/>
    <xsl:variable name="word" select="substring($text, 1, $next)"/>
    <xsl:choose>
      <xsl:when test="$text = ''">
        <xsl:value-of select="concat($begin, nb:latex(normalize-space($line)), $end)"/>
      </xsl:when>
      <xsl:when test="$line != '' and string-length(normalize-space(concat($line, $word))) &gt; $long">
        <xsl:value-of select="concat($begin, nb:latex(normalize-space($line)), $end, '\\')"/>
        <xsl:call-template name="lines">
          <xsl:with-param name="text" select="substring($text, $next + 1)"/>
          <xsl:with-param name="begin" select="$begin"/>
          <xsl:with-param name="end" select="$end"/>
          <xsl:with-param name="line" select="$word"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="lines">
          <xsl:with-param name="text" select="substring($text, $next + 1)"/>
          <xsl:with-param name="begin" select="$begin"/>
          <xsl:with-param name="end" select="$end"/>
          <xsl:with-param name="line" select="concat($line, $word)"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
